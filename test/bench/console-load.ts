import { startModelServer } from "./model-server.ts";
import { pairedGateway } from "./paired-gateway.ts";
import { atMost, type Row } from "./row.ts";

const rounds = 50;

/** Measures what a browser gets before it can draw the console: the page and all that it names. */
export async function consoleRows(): Promise<readonly Row[]> {
  const model = await startModelServer();
  try {
    await using gateway = await pairedGateway(
      () => `default_provider = "custom:${model.url}"\ndefault_model = "m"\n`,
    );
    await firstLoad(gateway.url);
    let bytes = 0;
    const began = performance.now();
    for (let n = 0; n < rounds; n += 1) bytes = await firstLoad(gateway.url);
    const ms = (performance.now() - began) / rounds;
    return [
      atMost("the console's first load, compressed", bytes / 1_024, 40, " KiB"),
      atMost("the console's first load, once it was loaded before", ms, 20, " ms"),
    ];
  } finally {
    model.close();
  }
}

/** Resolves to the bytes of the bodies as they were sent. */
async function firstLoad(url: string): Promise<number> {
  const page = await get(`${url}/console`);
  const names = [...page.text.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(
    ([, name]) => `${url}${name}`,
  );
  const files = await Promise.all(names.map(get));
  return [page, ...files].reduce((sum, { bytes }) => sum + bytes, 0);
}

async function get(url: string): Promise<{ text: string; bytes: number }> {
  const response = await fetch(url, { headers: { "accept-encoding": "gzip" } });
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}`);
  const text = await response.text();
  return { text, bytes: Number(response.headers.get("content-length")) };
}
