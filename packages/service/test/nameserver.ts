/** A nameserver on a real socket, which every lookup in DNS asks while it is there. */
import { createSocket } from 'node:dgram';
import dns from 'node:dns/promises';
import { isIPv4 } from 'node:net';

export interface Nameserver {
  /** The names that were asked for, once each. */
  readonly asked: Set<string>;
  /** What a name leads to; `hang` is never answered. Any other name is not there. */
  readonly names: Map<string, readonly string[] | 'hang'>;
  close(): Promise<void>;
}

export async function startNameserver(): Promise<Nameserver> {
  const asked = new Set<string>();
  const names: Nameserver['names'] = new Map();
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = question(query);
    asked.add(name);
    const found = names.get(name);
    if (found === 'hang') return;
    const records = (found ?? []).filter((ip) => (isIPv4(ip) ? type === A : type === AAAA)).map(record);
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(found ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { Resolver } = dns;
  dns.Resolver = class extends Resolver {
    constructor(options?: ConstructorParameters<typeof Resolver>[0]) {
      super(options);
      this.setServers([`127.0.0.1:${socket.address().port}`]);
    }
  };
  return {
    asked,
    names,
    close: () => {
      dns.Resolver = Resolver;
      return new Promise((resolve) => socket.close(() => resolve()));
    },
  };
}

const A = 1;
const AAAA = 28;

function question(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let place = 12;
  for (let length = query.readUInt8(place); length > 0; length = query.readUInt8(place)) {
    labels.push(query.toString('ascii', place + 1, place + 1 + length));
    place += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(place + 1), end: place + 5 };
}

function record(ip: string): Buffer {
  const data = isIPv4(ip) ? ip.split('.').map(Number) : v6(ip);
  const head = Buffer.alloc(12);
  // The name of the question, at 12; of the internet; for a minute.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(isIPv4(ip) ? A : AAAA, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, Buffer.from(data)]);
}

function v6(ip: string): number[] {
  const [before = '', after = ''] = ip.split('::').map((part) => part);
  const groups = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(before), groups(after)];
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  return all.flatMap((group) => [group >> 8, group & 255]);
}
