// The client that orval made, with exact int64s in both directions.
import { createPlant, listPlants } from './orval/client.js';

declare global {
  interface BigInt {
    toJSON(): unknown;
  }
}
BigInt.prototype.toJSON = function toJSON() {
  return JSON.rawJSON(String(this));
};

const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
const { status, data } = await createPlant({ id: 9007199254740997n, name: 'Rose' }, { headers });
console.log(status === 200 ? data.name : data.message);

const list = await listPlants({ headers });
if (list.status === 200) console.log(list.data.map(({ id }) => id));
