"""The pages of the workbench: each room a module, all in one frame."""
