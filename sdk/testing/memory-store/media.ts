import { createHash } from "node:crypto";
import { errors, mediaBounds, type Media } from "../../index.ts";
import { mediaRef } from "../../fill.ts";

/** Media that are forgotten with the process; nothing is taken away before. */
export function createMemoryMedia(): Media {
  const kept = new Map<string, Uint8Array>();
  const brought = new Map<string, number>();
  return {
    async put(bytes, facts) {
      const id = createHash("sha256").update(bytes).digest("hex");
      const ref = mediaRef(id, bytes, facts);
      const { user } = facts;
      const sum = (brought.get(user ?? "") ?? 0) + bytes.length;
      if (user !== undefined && sum > mediaBounds.perHour)
        throw errors.MEDIA_TOO_MUCH(user, mediaBounds.perHour);
      if (user !== undefined) brought.set(user, sum);
      kept.set(id, bytes.slice());
      return ref;
    },
    open: async (id) => kept.get(id)?.slice(),
  };
}
