// The process of this service.
import '@contract-kit/server/node-version';
import { resolve } from 'node:path';
import { runService } from '@contract-kit/server';
import { file, sha256 } from '../generated/contract';
import { service } from './service';

void runService(service, { file: resolve(__dirname, '..', file), sha256 });
