"""`python -m neverlost`: the command line."""

import sys

from neverlost.cli.main import main

sys.exit(main())
