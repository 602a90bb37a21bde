import { AsyncLocalStorage } from "node:async_hooks";
import type { CallRequest } from "./call.ts";

const running = new AsyncLocalStorage<{ readonly request: CallRequest; isOver: boolean }>();

/** Runs a tool so that whatever it starts is known as part of this call, until it ends. */
export async function runInCall<T>(request: CallRequest, work: () => Promise<T>): Promise<T> {
  const place = { request, isOver: false };
  try {
    return await running.run(place, work);
  } finally {
    place.isOver = true;
  }
}

/** Returns the call whose tool runs now, if any; work that a tool left for later is outside it. */
export function callAround(): CallRequest | undefined {
  const place = running.getStore();
  return place?.isOver === false ? place.request : undefined;
}
