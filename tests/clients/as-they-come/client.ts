// What each client is asked for, with the types that its maker gives it. The proof copies this folder to where the
// clients are made.

export const BASE = String(process.env['BASE']);
export const HEADERS = { Authorization: `Bearer ${String(process.env['TOKEN'])}` };

export interface Plant {
  name: string;
  tag?: string;
}

export interface NewPlant extends Plant {
  id: number;
}

export type Reply = { status: 200; plant: Plant } | { status: 400; error: { error: number; message: string } };

export interface Client {
  create(plant: NewPlant): Promise<Reply>;
  list(): Promise<NewPlant[]>;
}
