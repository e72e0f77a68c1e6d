"""What every task is made of; the files beside this folder are the tasks."""
