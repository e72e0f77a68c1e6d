"""What every task is made of. The files beside this folder are the tasks."""
