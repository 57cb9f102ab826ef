// Names a project by its contract.
import { NewError } from './options';

// npm's limit for the name of a package.
const MAX_LENGTH = 214;

/** Makes the name of a package from the title of a contract. */
export function toName(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '');
  const words = plain.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = words.join('-').slice(0, MAX_LENGTH);
  if (name === '') throw new NewError(`no name can be made of the title ${JSON.stringify(title)}: use --name`);
  return name;
}
