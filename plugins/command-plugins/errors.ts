import { defineErrors, failed, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  PLUGINS_KIND: usage("There is no template for `%s`: the kinds are %s."),
  PLUGINS_NAME: usage(
    "`%s` is not a plugin's name: use lower-case letters, digits and -, beginning with a letter.",
  ),
  PLUGINS_EXISTS: usage("%s is already there and is never overwritten: choose another name or --dir."),
  PLUGINS_UNWRITABLE: failed("%s cannot be written (%s): check the directory, its owner and the free space."),
  PLUGINS_NO_ENTRY: usage(
    "%s has no plugin in it: give a file, or a folder whose package.json names a module inside it in `exports`.",
  ),
  PLUGINS_BAD_FACTS: usage("%s does not hold a JSON object: correct it."),
  PLUGINS_NOTHING_STATED: usage(
    "%s has no package.json that states anything under `gantry`: check it without --stated.",
  ),
  PLUGINS_NO_REGISTRY: usage(
    "No package registry is configured: pass --registry <url>, set NPM_CONFIG_REGISTRY, or write `registry=<url>` into ~/.npmrc; a tarball needs none.",
  ),
  PLUGINS_REGISTRY: failed("The registry has no answer for %s (%s): check the name and the network."),
  PLUGINS_NO_VERSION: usage(
    "%s has no version or tag `%s`: name an exact version or a tag; ranges are not taken, so that you know what you get.",
  ),
  PLUGINS_INTEGRITY: policy(
    "%s is not what the registry promised (its SHA-512 differs), so nothing was unpacked: try again, then ask its author.",
  ),
  PLUGINS_NO_INTEGRITY: policy(
    "The registry gives no SHA-512 for %s, so it is not installed: ask its author to publish it again.",
  ),
  PLUGINS_NO_FILE: usage("%s cannot be read (%s): give the path of a tarball, or the name of a package."),
  PLUGINS_TARBALL: policy("%s is not unpacked (%s): ask its author for another release."),
  PLUGINS_NO_TARBALL: usage(
    '%s was not accepted, so nothing changed: pass --yes, or add "%s" to extra_plugins in %s.',
  ),
  PLUGINS_PACKAGE: policy("%s is not a plugin package (%s): ask its author for another release."),
  PLUGINS_DEPENDENCIES: policy(
    "%s needs other packages (%s) and a plugin brings its own: ask its author to build all into one file, as `gantry plugins new --bundle` shows.",
  ),
  PLUGINS_FOLDER: policy("Nothing is installed under %s (%s): correct that first."),
  PLUGINS_NOT_ACCEPTED: policy(
    "%s was not accepted, so nothing changed: pass --yes to accept what is shown.",
  ),
  PLUGINS_OTHER_NAME: policy(
    "`%s` was asked for and what came calls itself `%s`, so nothing was installed: ask for that one if you mean it.",
  ),
  PLUGINS_STILL_LISTED: usage(
    "%s still stands in `plugins` of config.toml: take it off the list first, then remove it.",
  ),
  PLUGINS_NOT_INSTALLED: usage("%s is not installed under %s: see `gantry plugins list`."),
});
