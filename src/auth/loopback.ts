import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only this machine can reach a host, which is a name or an address, as in a URL or without its brackets. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) === 0) return address === 'localhost';
  return LOOPBACK.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Which names a server that listens on a host answers to: on loopback those of loopback alone; undefined for any. */
export function namesFor(host: string): typeof isLoopback | undefined {
  return isLoopback(host) ? isLoopback : undefined;
}
