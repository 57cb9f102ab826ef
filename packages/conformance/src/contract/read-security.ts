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
  /** Whether credentials without scopes are given. */
  readonly hasUnscoped: boolean;
}

/** The security requirements of an operation. */
export interface Security {
  /**
   * One alternative is enough, and it needs all of its schemes. Alternatives without given credentials are left out.
   */
  readonly alternatives: readonly (readonly Scheme[])[];
  /** Why no alternative is left. */
  readonly untriable?: Untriable;
}

/** Reads the security requirements; no requirement means that no credentials are needed. */
export function readSecurity(contract: Contract, security: Json | undefined): Security {
  const requirements = toList(security).filter(isJsonObject);
  if (requirements.length === 0) return { alternatives: [[]] };
  const problems: Untriable[] = [];
  const alternatives = requirements.flatMap((all) =>
    attempt(
      () => [readAlternative(contract, all)],
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

// A request has room for one Authorization header only.
function readAlternative(contract: Contract, all: JsonObject): Scheme[] {
  const schemes = Object.entries(all).map(([name, scopes]) => readScheme(contract, name, toList(scopes).map(toText)));
  const twice = schemes.filter(({ kind }) => kind !== 'apiKey')[1];
  if (twice) throw new Untriable('two schemes that both need the header Authorization', twice.pointer);
  return schemes;
}

function readScheme(contract: Contract, name: string, scopes: readonly string[]): Scheme {
  const { value, pointer } = resolve(contract, extendPointer('#', 'components', 'securitySchemes', name));
  if (!contract.hasCredentials(name)) throw new Untriable(`the security scheme ${name} without credentials`, pointer);
  const hasUnscoped = contract.hasUnscoped(name);
  if (scopes.length > 0 && !hasUnscoped)
    contract.untried.add({ reason: `the scopes of ${name}, without credentials that have none`, pointer });
  const common = { name, pointer, scopes, hasUnscoped };
  const scheme = toText(value['scheme']).toLowerCase();
  if (value['type'] === 'apiKey')
    return { ...common, kind: 'apiKey', in: toText(value['in']), parameter: toText(value['name']) };
  if (value['type'] === 'http' && scheme === 'basic') return { ...common, kind: 'basic' };
  const isBearer = value['type'] === 'http' && scheme === 'bearer';
  if (isBearer || value['type'] === 'oauth2' || value['type'] === 'openIdConnect') return { ...common, kind: 'bearer' };
  const kind = value['type'] === 'http' ? `http ${scheme}` : toText(value['type']);
  throw new Untriable(`the security scheme ${kind}`, pointer);
}
