"""What `import neverlost` offers, one module for each concern."""
