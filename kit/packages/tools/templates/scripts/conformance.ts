// Judges a server by its contract; --help lists the options.
import '@contract-kit/conformance/cli';
