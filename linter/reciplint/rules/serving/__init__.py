"""Rules on how models are served."""
