'use strict';

function refuse() {
  process.exit(3);
}

exports.check = function check() {
  refuse();
};
