import type { Attack } from '../attack';
import { aliasBomb } from './alias-bomb';
import { fewDescriptors } from './few-descriptors';
import { slowHeaders } from './slow-headers';

/** All of them, in the order in which they are tried. */
export const attacks: readonly Attack[] = [slowHeaders, fewDescriptors, aliasBomb];
