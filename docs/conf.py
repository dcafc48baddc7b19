"""The site that Sphinx makes of these pages; everything it shows lies in this folder."""

project = "openwop-conformance"
html_title = project
extensions = ["myst_parser", "sphinx_external_toc"]
exclude_patterns = ["examples"]
external_toc_exclude_missing = True  # what no page names is an orphan, and no page is
highlight_language = "none"  # the indented blocks are commands
smartquotes = False  # two hyphens begin an option
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = html_show_sphinx = False
myst_heading_anchors = 4
