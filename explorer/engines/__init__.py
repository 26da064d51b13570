"""What computes the states of a model: the engines behind one interface, their tables of states, and the graph of all states."""
