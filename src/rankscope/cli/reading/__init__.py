"""What commands read, from the words of the command line to the model."""
