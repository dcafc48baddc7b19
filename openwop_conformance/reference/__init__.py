"""Subjects that pass, written to be read: the embedded host of both majors, what it is made of.

The host is ``connect`` (start here), ``app`` (HTTP), ``host`` (runs), ``rules`` (admission) and
``policy`` (every behaviour as a value, so that a sabotage can replace exactly one). What major 1
does otherwise is in ``v1``.
"""

from __future__ import annotations

import logging

logging.getLogger(__name__).addHandler(logging.NullHandler())
