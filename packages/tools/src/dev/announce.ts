// Imported first by cli.ts: the rest of the command takes a second to load.
if (process.argv[2] === 'dev') console.error('dev: starting; the first compilation takes some seconds');
