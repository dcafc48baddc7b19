"""What an A2UI surface is: pure functions and values, no I/O. The oracle that judges subjects.

Each rule of the protocol stands here once, named after the rule; the oracle, the reference
subjects and the coherence gates all call it here.
"""
