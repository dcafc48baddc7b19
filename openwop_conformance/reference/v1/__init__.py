"""Major 1 in the reference host: what ``/v1`` does with the same runs, log and workflows.

``app`` has the routes, ``host`` the runs, ``accept`` and ``admission`` what a surface must be,
``delta`` what a subscriber is sent of it, ``policy`` every behaviour that can be broken alone, and
``dialect`` the other way of speaking that a real host was recorded with.
"""

from __future__ import annotations
