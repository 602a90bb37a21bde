import { defineErrors, policy } from "@gantry/sdk";

export const errors = defineErrors({
  SHELL_NO_SANDBOX: policy(
    "No plugin fills the sandbox, so nothing can be started safely: list a sandbox, see `gantry plugins list`.",
  ),
});
