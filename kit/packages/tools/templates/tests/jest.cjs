// Runs Jest from wherever the package manager put it: npm hoists it out of a workspace.
require('jest').run();
