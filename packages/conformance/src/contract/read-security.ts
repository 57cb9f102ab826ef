import { toText, type Json, type JsonObject } from '../wire/json';
import { deeper } from './pointer';
import { resolve, toList, type Contract } from './read-contract';

/** A way to show who somebody is. */
export interface Scheme {
  readonly name: string;
  readonly pointer: string;
  readonly kind: 'bearer' | 'basic' | 'apiKey';
  /** Of an apiKey. */
  readonly in?: string;
  readonly parameter?: string;
}

/** @throws Error that names the place, where no cases can be made */
export function readAlternatives(contract: Contract, security: Json | undefined): Scheme[][] {
  const requirements = toList(security) as readonly JsonObject[];
  if (requirements.length === 0) return [[]];
  return requirements.map((all) => {
    const schemes = Object.entries(all).map(([name, scopes]) => readScheme(contract, name, scopes));
    const twice = schemes.filter(({ kind }) => kind !== 'apiKey')[1];
    if (twice) throw new Error(`${twice.pointer}: no request has room for it and for another Authorization`);
    return schemes;
  });
}

function readScheme(contract: Contract, name: string, scopes: Json): Scheme {
  const { value, pointer } = resolve(contract, deeper('#', 'components', 'securitySchemes', name));
  // They would take a secret for each set of scopes.
  if (toList(scopes).length > 0) throw new Error(`${pointer}: no cases can be made for scopes`);
  const scheme = toText(value['scheme']).toLowerCase();
  if (value['type'] === 'apiKey')
    return { name, pointer, kind: 'apiKey', in: toText(value['in']), parameter: toText(value['name']) };
  if (value['type'] === 'http' && scheme === 'basic') return { name, pointer, kind: 'basic' };
  if (value['type'] === 'oauth2' || value['type'] === 'openIdConnect' || scheme === 'bearer')
    return { name, pointer, kind: 'bearer' };
  throw new Error(`${pointer}: no cases can be made for this security scheme`);
}
