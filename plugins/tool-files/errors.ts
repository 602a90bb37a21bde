import { defineErrors, policy } from "@gantry/sdk";

export const errors = defineErrors({
  FILES_NO_SANDBOX: policy(
    "No plugin fills the sandbox, so no file can be opened safely: list a sandbox, see `gantry plugins list`.",
  ),
});
