import { defineErrors, policy, refuse, type Refusal, type ToolCall } from "@gantry/sdk";

export const errors = defineErrors({
  EXAMPLE_FORBIDDEN: policy("The call holds the forbidden word `%s`."),
});

/** Says no or nothing: there is no yes. A guard that throws has refused. */
export function createGuard(words: readonly string[]): (call: ToolCall) => Refusal | undefined {
  return (call) => {
    const text = JSON.stringify(call.args).toLowerCase();
    const word = words.find((known) => text.includes(known.toLowerCase()));
    return word === undefined ? undefined : refuse(errors.EXAMPLE_FORBIDDEN(word));
  };
}
