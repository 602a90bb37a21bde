import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline, type Duplex } from "node:stream";

/** A socket file that leads to a connection elsewhere. */
export interface Bridge {
  readonly path: string;
  /** Takes nobody any more; whoever is through stays. */
  close(): Promise<void>;
}

/**
 * Lends an open connection to a library that insists on opening its own: to one caller, of this
 * user alone, since nobody else gets into the directory. Both ends close together.
 */
export async function bridgeTo(far: Duplex): Promise<Bridge> {
  const directory = await mkdtemp(path.join(tmpdir(), "gantry-bridge-"));
  const file = path.join(directory, "way");
  const server = createServer((near) => {
    server.close();
    pipeline(near, far, near, () => far.destroy());
  });
  server.listen(file);
  await once(server, "listening");
  return {
    path: file,
    async close() {
      server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
