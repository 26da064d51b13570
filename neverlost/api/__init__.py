"""The names that `import neverlost` offers, one module per topic."""
