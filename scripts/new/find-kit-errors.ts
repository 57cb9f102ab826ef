import { globSync, readFileSync } from 'node:fs';
import { errors } from '../../generated/contract';

/** The rows of the error catalogue that the kit itself answers with. A contract without one of them does not compile. */
export function findKitErrors(): (keyof typeof errors)[] {
  const kit = globSync('src/{contract,docs}/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  return (Object.keys(errors) as (keyof typeof errors)[]).filter((name) =>
    kit.some((text) => text.includes(`'${name}'`)),
  );
}
