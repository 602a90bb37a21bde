import type { Store } from "../../store.ts";

/** An empty store. `reopen` gives what a new process finds after this one ended without a word. */
export interface OpenedStore {
  readonly store: Store;
  reopen(): Promise<Store>;
  close(): Promise<void>;
}
