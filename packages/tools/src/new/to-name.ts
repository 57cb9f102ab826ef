// Names a project by its contract.
import { ProjectError } from './options';

// npm's limit for the name of a package.
const MAX_LENGTH = 214;

/** Makes the name of a package from the title of a contract, such as `cafe-menu` from `Café Menu`. */
export function toName(title: string): string {
  const withoutAccents = title.normalize('NFKD').replace(/\p{M}/gu, '');
  const words = withoutAccents.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = words.join('-').slice(0, MAX_LENGTH);
  if (name === '') throw new ProjectError(`no name can be made of the title ${JSON.stringify(title)}: use --name`);
  return name;
}
