import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredPlant } from '../../src/store/plant-store';
import type { Ledger } from './ledger';
import { startLoad, type Load } from './load';
import type { Random } from './random';
import type { Service } from './service';

/** Loads a service, and kills it at a random moment. */
export async function killUnderLoad(
  service: Service,
  random: Random,
  ledger: Ledger,
  next: () => StoredPlant,
): Promise<Load> {
  const load = startLoad(service.url, ledger, next);
  await sleep(random.integer(50, 300));
  await service.end('SIGKILL');
  await load.stop();
  return load;
}
