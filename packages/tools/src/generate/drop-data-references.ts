// Removes data that looks like a reference from a contract: openapi-typescript would follow it, even to another host.
import { isData, isMapByName } from '@contract-kit/server/contract';

/** Changes `copy`: an example, or other data, with a member `$ref` in it is left out. The types do not say it. */
export function dropDataReferences(copy: object, hasNames = false): void {
  for (const [key, value] of Object.entries(copy) as [string, unknown][]) {
    if (typeof value !== 'object' || value === null) continue;
    const isDropped = !hasNames && isData(key, value) && JSON.stringify(value).includes('"$ref"');
    if (isDropped) Reflect.deleteProperty(copy, key);
    else dropDataReferences(value, !hasNames && isMapByName(key, value));
  }
}
