import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  UPGRADE_WHAT: usage(
    "`gantry upgrade` installs nothing: look at a release with `gantry upgrade --check <package or executable>`, then install it as you did this one.",
  ),
  UPGRADE_NO_TAR: failed(
    "The program tar, which unpacks %s, is not there: install it, or name the folder of an installed package.",
  ),
  UPGRADE_NO_RELEASE: failed(
    "%s is not a release of Gantry (%s): name the package file, the executable or the folder of an installed package.",
  ),
});
