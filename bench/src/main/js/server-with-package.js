'use strict';
// The server of server.js with the package whose folder is the argument.
require(process.argv[2]);
require('./server.js');
