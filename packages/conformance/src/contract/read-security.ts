// Reads the security schemes of a contract.
import { isJsonObject, toText, type Json, type JsonObject } from '../wire/json';
import { extendPointer } from './pointer';
import { resolve, toList, type Contract } from './read-contract';
import { attempt, Untriable } from './untried';

/** A security scheme, as an operation requires it. */
export interface Scheme {
  readonly name: string;
  readonly pointer: string;
  readonly kind: 'bearer' | 'basic' | 'apiKey';
  /** Of an apiKey. */
  readonly in?: string;
  readonly parameter?: string;
  /** The scopes that the credentials need; roles for schemes other than OAuth. */
  readonly scopes: readonly string[];
  readonly hasUnscoped: boolean;
}

export interface Security {
  /** One is enough, and it needs all of its schemes. Those without given credentials are left out. */
  readonly alternatives: readonly (readonly Scheme[])[];
  /** Why no alternative is left. */
  readonly untriable?: Untriable;
}

/** Without requirements, the only alternative has no schemes. Ones that cannot be sent are left out, as untried. */
export function readSecurity(contract: Contract, security: Json | undefined): Security {
  const requirements = toList(security).filter(isJsonObject);
  if (requirements.length === 0) return { alternatives: [[]] };
  const problems: Untriable[] = [];
  const alternatives = requirements.flatMap((requirement) =>
    attempt(
      () => [readAlternative(contract, requirement)],
      (problem) => {
        problems.push(problem);
        return [];
      },
    ),
  );
  for (const problem of problems) contract.untried.add(problem);
  const [untriable] = problems;
  return alternatives.length > 0 || !untriable ? { alternatives } : { alternatives, untriable };
}

// Reads a Security Requirement Object such as `{ oauth: ['read'], apiKey: [] }`: a request needs all of its schemes.
function readAlternative(contract: Contract, requirement: JsonObject): Scheme[] {
  const schemes = Object.entries(requirement).map(([name, scopes]) =>
    readScheme(contract, name, toList(scopes).map(toText)),
  );
  // All kinds but API keys use the header Authorization, and a request may have only one.
  const [, second] = schemes.filter(({ kind }) => kind !== 'apiKey');
  if (second) throw new Untriable('two schemes that both need the header Authorization', second.pointer);
  return schemes;
}

function readScheme(contract: Contract, name: string, scopes: readonly string[]): Scheme {
  const { value, pointer } = resolve(contract, extendPointer('#', 'components', 'securitySchemes', name));
  if (!contract.hasCredentials(name)) throw new Untriable(`the security scheme ${name} without credentials`, pointer);
  // Credentials without any scope are needed to show that the server checks scopes.
  const hasUnscoped = contract.hasUnscoped(name);
  if (scopes.length > 0 && !hasUnscoped)
    contract.untried.add({ reason: `the scopes of ${name}, without credentials that have none`, pointer });
  const common = { name, pointer, scopes, hasUnscoped };
  const type = toText(value['type']);
  const kind = type === 'http' ? `http ${toText(value['scheme']).toLowerCase()}` : type;
  switch (kind) {
    case 'apiKey':
      return { ...common, kind: 'apiKey', in: toText(value['in']), parameter: toText(value['name']) };
    case 'http basic':
      return { ...common, kind: 'basic' };
    case 'http bearer':
    case 'oauth2':
    case 'openIdConnect':
      return { ...common, kind: 'bearer' };
    default:
      throw new Untriable(`the security scheme ${kind}`, pointer);
  }
}
