// npm @a2ui/web_core as an SDK subject over JSON lines: its message processor, one for each state.
//
//     stdio:node web_core.mjs DIR
//
// DIR is where the package was installed: Node resolves it from there, as it would for a program in
// that directory. Only the library's own errors become refusals; anything else that it throws is
// answered as a crash. What the library logs goes to stderr.

import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {resolve, sep} from 'node:path';
import {createInterface} from 'node:readline';
import {pathToFileURL} from 'node:url';

const directory = process.argv[2] ?? process.env.WEB_CORE_DIR;
if (directory === undefined) {
  console.error('usage: node web_core.mjs DIR (or WEB_CORE_DIR): where @a2ui/web_core is installed');
  process.exit(2);
}
const require = createRequire(pathToFileURL(resolve(directory) + sep));
const load = name => import(pathToFileURL(require.resolve(name)));
const {
  A2uiDataError, A2uiError, A2uiStateError, A2uiValidationError, Catalog, MessageProcessor,
} = await load('@a2ui/web_core/v0_9');
const {basicCatalog} = await load('@a2ui/web_core/v0_9/basic_catalog');

// The package does not export its package.json, so it is read beside what it exports.
const manifest = new URL('../../package.json', pathToFileURL(require.resolve('@a2ui/web_core/v0_9')));
const {name, version: installed} = JSON.parse(readFileSync(manifest, 'utf8'));

// The kind of each class, the nearest first. Others of the library's own are of A2uiError's kind.
const KINDS = [
  [A2uiDataError, 'data'],
  [A2uiStateError, 'state'],
  [A2uiValidationError, 'validation'],
  [A2uiError, 'validation'],
];

const states = new Map();

const calls = {
  hello: () => ({
    name,
    version: installed,
    versions: ['v0.9', 'v0.9.1'],
    operations: Object.keys(calls),
    features: ['custom-catalogs'],
  }),

  new_state({state, catalogs = ['basic'], version = 'v0.9'}) {
    const held = catalogs.map(one => (one === 'basic' ? basicCatalog : Catalog.fromSchema(one)));
    states.set(state, new MessageProcessor(held, undefined, {version}));
    return {};
  },

  apply({state, messages}) {
    states.get(state).processMessages(messages);
    return {};
  },

  apply_each({state, messages}) {
    const processor = states.get(state);
    let applied = 0;
    try {
      for (; applied < messages.length; applied++) processor.processMessages([messages[applied]]);
    } catch (error) {
      if (!(error instanceof A2uiError)) throw error;
    }
    return {applied};
  },

  read({state}) {
    const surfaces = [...states.get(state).model.surfacesMap.values()];
    return {surfaces: Object.fromEntries(surfaces.map(one => [one.id, read(one)]))};
  },

  client_data: ({state}) => ({data: states.get(state).getClientDataModel() ?? null}),
};

// A surface as the library holds it. To it, no theme and an empty one are the same; a model without
// a value (undefined) is shown as null.
function read({catalog, componentsModel, dataModel, sendDataModel, theme}) {
  const components = [...componentsModel.entries].map(([id, {type, properties}]) => [
    id,
    {...properties, id, component: type},
  ]);
  return {
    components: Object.fromEntries(components),
    data: dataModel.get('/') ?? null,
    sendDataModel,
    catalogId: catalog.id,
    ...(JSON.stringify(theme) === '{}' ? {} : {theme}),
  };
}

function refusal(error) {
  const kind = KINDS.find(([of]) => error instanceof of)?.[1];
  if (kind === undefined) return {kind: 'crash', message: String(error?.stack ?? error)};
  const details = Array.isArray(error.details) ? error.details : [];
  return {
    kind,
    message: error.message,
    details: details.map(({path = [], code, message}) => ({path: pointer(path), code, message})),
  };
}

// An issue's path leads into the properties of one component, not into the message.
const pointer = path =>
  path.map(key => '/' + String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('');

function answer({id, call, with: given}) {
  if (!Object.hasOwn(calls, call)) {
    return JSON.stringify({id, error: {kind: 'unsupported', message: `there is no ${call} here`}});
  }
  try {
    return JSON.stringify({id, result: calls[call](given)});
  } catch (error) {
    return JSON.stringify({id, error: refusal(error)});
  }
}

for await (const line of createInterface({input: process.stdin})) {
  process.stdout.write(answer(JSON.parse(line)) + '\n');
}
