import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Attack } from '../attack';
import { startTarget, TOKEN } from '../target';

const BODIES = 90;
const BODY_LENGTH = 1_000_000;
const MB = 1024 ** 2;
const WARNING = /"msg":"the write-ahead log has (\d+) MB/g;

/** A program that reads one state of the SQLite file for ever, while plants of 1 MB come. */
export const permanentReader: Attack = {
  name: 'a permanent reader of the SQLite file',
  async run() {
    using target = await startTarget();
    const file = join(target.process.folder, 'data/plants.db');
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec('BEGIN; SELECT * FROM plants');
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
    for (let id = 0; id < BODIES; id++) {
      const body = JSON.stringify({ id, name: 'x'.repeat(BODY_LENGTH) });
      await fetch(`${target.url}/plants`, { method: 'POST', headers, body });
    }
    const metrics = await (await fetch(`${target.admin}/metrics`)).text();
    const bytes = Number(/^store_log_bytes (\d+)/m.exec(metrics)?.[1] ?? 0);
    const warnings = [...target.process.output.stdout.matchAll(WARNING)];
    reader.close();
    return [
      { what: 'log when it was told', value: Number(warnings[0]?.[1] ?? Infinity), atMost: 80, unit: 'MB' },
      { what: 'warnings', value: warnings.length, atMost: 2, unit: 'lines' },
      { what: 'metric beside the file', value: (statSync(`${file}-wal`).size - bytes) / MB, atMost: 0, unit: 'MB' },
    ];
  },
};
