"""How a subject is reached: one module a way, and the strings that name them."""
