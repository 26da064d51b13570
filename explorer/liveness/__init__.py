"""Deciding `eventually` properties: regions of waiting, fair components in them, and a short fair loop."""
