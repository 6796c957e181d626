"""How models are served: one normal form of every process, whatever file says how it is started."""
