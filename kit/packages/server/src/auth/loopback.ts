import { BlockList, isIP } from 'node:net';

const LOOPBACK_ADDRESSES = new BlockList();
LOOPBACK_ADDRESSES.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK_ADDRESSES.addAddress('::1', 'ipv6');

/** Whether a host is loopback. The host can be a name, or an address with or without the brackets of a URL. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const ipVersion = isIP(address);
  if (ipVersion === 0) return address === 'localhost';
  return LOOPBACK_ADDRESSES.check(address, ipVersion === 6 ? 'ipv6' : 'ipv4');
}
