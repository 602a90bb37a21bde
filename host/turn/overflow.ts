import type { ProviderFailure } from "@gantry/sdk";

/** Words with which servers say that a conversation is too long, where the provider has not said it with its code. */
const words =
  /context[_ ](?:length|size|window)|maximum context|prompt is too long|input (?:is too long|token count)|exceed_context|too many (?:input )?tokens/i;

/** True where the model refused a conversation as too long. */
export function isOverflow({ failure }: { readonly failure: ProviderFailure | undefined }): boolean {
  if (!failure) return false;
  return (
    failure.code === "PROVIDER_OVERFLOW" ||
    (failure.code === "PROVIDER_REQUEST" && words.test(failure.message))
  );
}

/** True where the model's server would refuse the same messages again. */
export function isRefused(failure: ProviderFailure | undefined): boolean {
  return ["PROVIDER_REQUEST", "PROVIDER_OVERFLOW", "CONTEXT_FULL"].includes(failure?.code ?? "");
}
