import { closeSync, openSync } from 'node:fs';

export function openByModule() {
  closeSync(openSync('/etc/hosts'));
}
