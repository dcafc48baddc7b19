"""What travels between a suite and a host: ids, envelopes, discovery, events, errors, streams."""
