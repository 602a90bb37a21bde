import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  SERVICE_PLATFORM: usage(
    "There is no service manager for %s: run `gantry daemon` under the one that you use.",
  ),
  SERVICE_NO_SYSTEM: usage("There is no service of the whole machine for %s: leave --system out."),
  SERVICE_NO_MANAGER: failed(
    "The program %s is not there: this system does not use it, so run `gantry daemon` under the manager it has.",
  ),
  SERVICE_MANAGER_FAILED: failed("`%s` failed: %s; see what it says when you run it yourself."),
  SERVICE_NO_BUS: failed(
    "`%s` failed: %s; this login has no manager of its own, as after `su` or in a container: log in as this user itself, take --system, or run `gantry daemon` under the manager that you use.",
  ),
  SERVICE_NOT_INSTALLED: failed("The service is not installed (%s is not there): %s."),
  SERVICE_FILE: failed("The file %s cannot be written (%s): check the directory and its owner."),
});
