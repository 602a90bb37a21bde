import type { Store } from "../../store/store.ts";

/** An empty store. */
export interface OpenedStore {
  readonly store: Store;
  /**
   * Opens the store as a new process finds it after this one ended without a word, once the store
   * knows that it did.
   */
  reopen(): Promise<Store>;
  close(): Promise<void>;
}

export interface Passing {
  /** Lets so much time pass by the store's clock. */
  pass(ms: number): Promise<void>;
}

/** An empty store that can lose where it keeps things. */
export interface BreakableStore extends OpenedStore {
  /** Cuts the store off, as a database that went away does; the returned function lets it back. */
  breaks(): Promise<() => Promise<void>>;
}
