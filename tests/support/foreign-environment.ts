import { delimiter } from 'node:path';

/**
 * The environment as on another machine: without what npm tells its scripts, and without the packages that are installed
 * here. What the network asks for stays.
 */
export function makeForeignEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|INIT_CWD$|NODE_(?!EXTRA_CA_CERTS$))/.test(name),
  );
  const path = String(process.env['PATH']).split(delimiter);
  const others = path.filter((entry) => !/node_modules|node-gyp-bin/.test(entry));
  return { ...Object.fromEntries(inherited), PATH: others.join(delimiter) };
}
