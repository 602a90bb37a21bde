/** A message between the service and the process of a plugin. */
export type Told =
  | {
      readonly do: "ask";
      readonly id: number;
      readonly work: number;
      readonly within: number | undefined;
      readonly args: unknown;
    }
  | { readonly do: "answer"; readonly id: number; readonly value: unknown }
  | { readonly do: "fail"; readonly id: number; readonly error: unknown }
  | { readonly do: "abort"; readonly signal: number; readonly reason: unknown }
  | { readonly do: "forget"; readonly works: readonly number[]; readonly signals: readonly number[] }
  | { readonly do: "ping" | "pong" };
