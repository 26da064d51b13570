"""Consumer groups in one process: a coordinator, its log, members of both protocols and what they read, written from Kafka's sources.

One group, one topic. A request is a call; who calls may keep it back and make the call later, and may keep back what it answers.
"""
