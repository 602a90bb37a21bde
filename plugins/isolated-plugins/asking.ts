/** Functions and signals given with a question, taken back once its answer is used no more. */
export interface Given {
  readonly works: number[];
  readonly signals: number[];
  /** The answer itself, and each work that came in it. */
  users: number;
}

/** A question that the other side has not answered. */
export interface Asking {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly given: Given;
  /** Runs something as if the asker did. */
  readonly asker: <T>(work: () => T) => T;
}
